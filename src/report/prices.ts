import { DeloopError, show } from '../core/errors.ts';
import { refuseUnknown, wrong } from '../core/options.ts';
import type { Usage } from '../core/types.ts';

/** Dollars for a million tokens; without a price of its own, cached input costs as much as any. */
type Price = { readonly input: number; readonly output: number; readonly cachedInput?: number };

export type PriceTable = {
  /** The day of the prices: `2026-11-15`. */
  readonly date: string;
  /** By the ids of models, without those who sell them. */
  readonly models: ReadonlyMap<string, Price>;
};

const UNIT = 'USD per million tokens';
const MILLION = 1e6;
const MAX_PRICE = 1e6;
/** Longer names are no names of models. */
const MAX_ID = 200;

/** Those who sell a model at its maker's price, or who made it, as gateways and clouds write them before its id. */
const SELLERS: ReadonlySet<string> = new Set([
  'alibaba',
  'anthropic',
  'azure',
  'azure_ai',
  'bedrock',
  'dashscope',
  'deepseek',
  'gemini',
  'google',
  'mistral',
  'mistralai',
  'models',
  'moonshot',
  'moonshotai',
  'openai',
  'openrouter',
  'publishers',
  'qwen',
  'vertex_ai',
  'x-ai',
  'xai',
]);
/** `us.anthropic.`: a region and a maker, as Amazon Bedrock writes them. */
const MAKER =
  /^(?:(?:us|us-gov|eu|apac|au|jp|global)\.)?(?:anthropic|deepseek|mistral|moonshot|openai|qwen)\./;
/** What may follow the id of a model without making it another: a date, a build, an effort, a version of the seller's. */
const SUFFIX =
  /^(?:[-@:](?:\d{8}|\d{6}|\d{4}-\d{2}-\d{2}|\d{2}-\d{4}|\d{3,4}|latest|thinking|minimal|low|medium|high|xhigh|v\d{1,2}(?::\d{1,2})?)){0,4}(?:\[1m\])?$/;
const BOUNDARY = /[-@:[]/;

/**
 * What the tokens of a response cost, in dollars; null = the model is not known. `gpt-5-2025-08-07` is `gpt-5`,
 * but `gpt-5-large` is not, for another model may have any price.
 */
export function priceOf(model: string | null | undefined, usage: Usage, table: PriceTable): number | null {
  const price = typeof model === 'string' ? priceIn(table, model) : undefined;
  if (price === undefined) return null;
  const { input, output, cachedInput = 0 } = usage;
  const cached = cachedInput * (price.cachedInput ?? price.input);
  return (input * price.input + output * price.output + cached) / MILLION;
}

/** A user's table, checked; what is wrong with it is told with its place, its value and what would be right. */
export function parsePrices(raw: unknown): PriceTable {
  const { date, unit, models } = recordOf(raw, 'prices', 'an object with "date" and "models"');
  refuseUnknown(raw as object, ['$schema', 'date', 'unit', 'models'], 'prices');
  if (typeof date !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(date) || Number.isNaN(Date.parse(date))) {
    throw wrong('prices.date', date, 'the day of the prices, such as "2026-11-15"');
  }
  if (unit !== undefined && unit !== UNIT) throw wrong('prices.unit', unit, show(UNIT));
  const parsed = new Map<string, Price>();
  const entries = Object.entries(recordOf(models, 'prices.models', 'an object of models and their prices'));
  for (const [id, value] of entries) {
    const price = parsePrice(value, `prices.models[${show(id)}]`);
    const key = bareId(id) ?? written(id);
    if (parsed.has(key))
      throw new DeloopError('option', `prices.models[${show(id)}] is there under another name`);
    parsed.set(key, price);
  }
  return { date, models: parsed };
}

/** A user's prices, and for models that they do not name those of the list. */
export function pricesOver(list: PriceTable, own: PriceTable): PriceTable {
  return { date: own.date, models: new Map([...list.models, ...own.models]) };
}

/** Responses name few models, again and again. */
const lookedUp: WeakMap<PriceTable, Map<string, Price | undefined>> = new WeakMap();
const MAX_LOOKED_UP = 256;

function priceIn(table: PriceTable, model: string): Price | undefined {
  if (model.length > MAX_ID) return undefined;
  const known = lookedUp.get(table) ?? new Map<string, Price | undefined>();
  if (known.has(model)) return known.get(model);
  if (known.size >= MAX_LOOKED_UP) known.clear();
  const price = lookUp(table, model);
  lookedUp.set(table, known.set(model, price));
  return price;
}

function lookUp({ models }: PriceTable, model: string): Price | undefined {
  const id = bareId(model);
  if (id === null) return models.get(written(model));
  for (let end = id.length; end > 0; end--) {
    if (end < id.length && !BOUNDARY.test(id[end] as string)) continue;
    const price = models.get(id.slice(0, end));
    if (price !== undefined) return SUFFIX.test(id.slice(end)) ? price : undefined;
  }
  return undefined;
}

/** An id without those who sell it, in which `4.5` is `4-5`, as both are written; null = sold by somebody unknown. */
function bareId(model: string): string | null {
  const path = written(model).split('/');
  const id = path.pop() as string;
  if (!path.every((part) => SELLERS.has(part))) return null;
  return id.replace(MAKER, '').replace(/(\d)\.(?=\d)/g, '$1-');
}

function written(model: string): string {
  return model.trim().toLowerCase();
}

function parsePrice(value: unknown, where: string): Price {
  const price = recordOf(value, where, 'an object with "input", "output" and maybe "cachedInput"');
  refuseUnknown(price, ['input', 'output', 'cachedInput'], where);
  const amount = (name: string) => {
    const dollars = price[name];
    if (typeof dollars === 'number' && dollars >= 0 && dollars <= MAX_PRICE) return dollars;
    throw wrong(`${where}.${name}`, dollars, `dollars for a million tokens, from 0 to ${MAX_PRICE}`);
  };
  const cached = price['cachedInput'] === undefined ? {} : { cachedInput: amount('cachedInput') };
  return { input: amount('input'), output: amount('output'), ...cached };
}

function recordOf(value: unknown, where: string, expected: string): { readonly [name: string]: unknown } {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw wrong(where, value, expected);
  return value as { readonly [name: string]: unknown };
}
