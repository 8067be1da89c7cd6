import { describe, expect, it } from 'vitest';
import { LIST_PRICES } from '../../src/report/list-prices.ts';
import table from '../../src/report/price-table.json' with { type: 'json' };
import { parsePrices, priceOf, pricesOver } from '../../src/report/prices.ts';
import { blocksOf, pageOf } from '../docs/pages.ts';

const MILLION = { input: 1e6, output: 0 };
const own = parsePrices({
  date: '2026-01-02',
  unit: 'USD per million tokens',
  models: {
    'gpt-5': { input: 1, output: 10, cachedInput: 0.1 },
    'gpt-5-mini': { input: 2, output: 20 },
    'gpt-5.1': { input: 3, output: 30 },
    'claude-sonnet-4-5': { input: 4, output: 40, cachedInput: 0.4 },
    'claude-opus-5': { input: 5, output: 50 },
    'gemini-2.5-pro': { input: 6, output: 60 },
    'ollama/My-Model:8b': { input: 0, output: 0 },
  },
});
const inputOf = (model: string) => priceOf(model, MILLION, own);

describe('priceOf', () => {
  it('adds input, output and cached input', () => {
    const usage = { input: 1000, output: 100, cachedInput: 500 };
    expect(priceOf('gpt-5', usage, own)).toBeCloseTo((1000 + 1000 + 50) / 1e6, 12);
    // Without a price of its own, cached input costs what input costs.
    expect(priceOf('gpt-5-mini', usage, own)).toBeCloseTo((2000 + 2000 + 1000) / 1e6, 12);
    expect(priceOf('gpt-5', { input: 0, output: 0 }, own)).toBe(0);
  });

  it.each([
    ['gpt-5', 1],
    ['GPT-5 ', 1],
    ['gpt-5-2025-08-07', 1],
    ['gpt-5-high', 1],
    ['gpt-5-latest', 1],
    ['gpt-5-mini-2025-08-07', 2],
    ['gpt-5.1', 3],
    ['gpt-5.1-2025-11-13', 3],
    ['openai/gpt-5', 1],
    ['openrouter/openai/gpt-5.1', 3],
    ['azure/gpt-5-mini', 2],
    ['claude-sonnet-4-5-20250929', 4],
    ['claude-sonnet-4-5[1m]', 4],
    ['claude-sonnet-4-5-20250929[1m]', 4],
    ['claude-sonnet-4-5@20250929', 4],
    ['claude-sonnet-4-5:thinking', 4],
    ['anthropic/claude-sonnet-4.5', 4],
    ['anthropic.claude-sonnet-4-5-20250929-v1:0', 4],
    ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 4],
    ['bedrock/global.anthropic.claude-sonnet-4-5-20250929-v1:0', 4],
    ['models/gemini-2.5-pro', 6],
    ['publishers/google/models/gemini-2.5-pro-001', 6],
    ['ollama/my-model:8b', 0],
  ])('%s costs %d', (model, dollars) => {
    expect(inputOf(model)).toBe(dollars);
  });

  it.each([
    '',
    'mock-model',
    'gpt-5-pro',
    'gpt-5-mini-search',
    'gpt-5.2',
    'gpt-51',
    'gpt-5-',
    'gpt',
    'claude-opus-5-7',
    'claude-opus-5-7-20270101',
    'claude-opus-5-fast',
    'claude-sonnet-4',
    'gemini-2.5-pro-preview-tts',
    'openrouter/anthropic/claude-sonnet-4.5:free',
    'ollama/gpt-5',
    'ollama/my-model',
    'some-host/openai/gpt-5',
    'ft:gpt-5:shop',
    'x'.repeat(1e6),
    `gpt-5${'-latest'.repeat(40)}`,
    `gpt-5${'-1'.repeat(90)}`,
    '__proto__',
    'constructor',
  ])('does not guess: %s', (model) => {
    expect(inputOf(model)).toBeNull();
  });

  it('knows nothing of a model that was not told', () => {
    expect(priceOf(null, MILLION, own)).toBeNull();
    expect(priceOf(undefined, MILLION, own)).toBeNull();
  });

  it('takes the longest id that fits', () => {
    const nested = parsePrices({
      date: '2026-01-02',
      models: { a: { input: 1, output: 1 }, 'a-latest': { input: 2, output: 2 } },
    });
    expect(priceOf('a-latest-20260101', MILLION, nested)).toBe(2);
    expect(priceOf('a-20260101', MILLION, nested)).toBe(1);
  });
});

describe('parsePrices', () => {
  const models = { m: { input: 1, output: 2 } };

  it('takes a table, and keeps its day', () => {
    expect(parsePrices({ $schema: 'x', date: '2026-02-28', models }).date).toBe('2026-02-28');
  });

  it.each([
    [null, 'prices is null; it must be an object with "date" and "models"'],
    [[], 'prices is []; it must be'],
    [{ models }, 'prices.date is undefined; it must be the day of the prices, such as "2026-11-15"'],
    [{ date: 'today', models }, 'prices.date is "today"; it must be'],
    [{ date: '2026-13-01', models }, 'prices.date is "2026-13-01"; it must be'],
    [
      { date: '2026-01-01', unit: 'EUR', models },
      'prices.unit is "EUR"; it must be "USD per million tokens"',
    ],
    [
      { date: '2026-01-01', model: {}, models },
      'prices has no option "model"; known are $schema, date, unit, models',
    ],
    [{ date: '2026-01-01' }, 'prices.models is undefined; it must be an object of models and their prices'],
    [
      { date: '2026-01-01', models: { m: 3 } },
      'prices.models["m"] is 3; it must be an object with "input", "output"',
    ],
    [
      { date: '2026-01-01', models: { m: { input: 1 } } },
      'prices.models["m"].output is undefined; it must be dollars for a million tokens',
    ],
    [
      { date: '2026-01-01', models: { m: { input: '1', output: 2 } } },
      'prices.models["m"].input is "1"; it must be dollars',
    ],
    [
      { date: '2026-01-01', models: { m: { input: -1, output: 2 } } },
      'prices.models["m"].input is -1; it must be',
    ],
    [
      { date: '2026-01-01', models: { m: { input: 1, output: 2, cachedInput: null } } },
      'prices.models["m"].cachedInput is null',
    ],
    [
      { date: '2026-01-01', models: { m: { input: 1, output: 2, cached: 1 } } },
      'prices.models["m"] has no option "cached"; known are input, output, cachedInput',
    ],
    [
      {
        date: '2026-01-01',
        models: { 'claude-sonnet-4.5': models.m, 'anthropic/claude-sonnet-4-5': models.m },
      },
      'prices.models["anthropic/claude-sonnet-4-5"] is there under another name',
    ],
  ])('refuses %o', (raw, message) => {
    expect(() => parsePrices(raw)).toThrowError(
      expect.objectContaining({ name: 'DeloopError', code: 'option' }),
    );
    expect(() => parsePrices(raw)).toThrowError(message);
  });

  it('takes the table of the docs', () => {
    const [block] = blocksOf(pageOf('docs/prices.md'), 'json');
    const documented = parsePrices(JSON.parse(block?.text ?? ''));
    expect(priceOf('ollama/qwen3:8b', MILLION, documented)).toBe(0);
    expect(priceOf('gpt-5', MILLION, documented)).toBe(priceOf('gpt-5', MILLION, LIST_PRICES));
  });

  it('puts the prices of a user over those of the list', () => {
    const both = pricesOver(LIST_PRICES, own);
    expect(both.date).toBe('2026-01-02');
    expect(priceOf('gpt-5', MILLION, both)).toBe(1);
    expect(priceOf('kimi-k3', MILLION, both)).toBe(3);
    const prefixed = parsePrices({
      date: '2026-01-02',
      models: { 'openai/GPT-5.1': { input: 7, output: 7 } },
    });
    expect(priceOf('gpt-5.1', MILLION, pricesOver(LIST_PRICES, prefixed))).toBe(7);
  });
});

describe('the list', () => {
  it('has a price for every id as agents write it', () => {
    expect(LIST_PRICES.date).toBe(table.date);
    for (const [id, { input }] of Object.entries(table.models))
      expect(priceOf(id, MILLION, LIST_PRICES), id).toBe(input);
    for (const [id, input] of [
      ['claude-sonnet-4-5-20250929', 3],
      ['claude-opus-4-20250514', 15],
      ['claude-opus-4-1-20250805', 15],
      ['claude-haiku-4-5-20251001', 1],
      ['gpt-5.1-codex-max', 1.25],
      ['gpt-4o-2024-05-13', 5],
      ['gpt-4o-2024-11-20', 2.5],
      ['models/gemini-2.5-flash', 0.3],
      ['qwen/qwen3-coder-plus-2025-07-22', 1],
      ['x-ai/grok-4', 3],
      ['grok-4-0709', 3],
      ['moonshotai/kimi-k2.6', 0.95],
    ] as const) {
      expect(priceOf(id, MILLION, LIST_PRICES), id).toBe(input);
    }
  });

  it('has sound prices: what is cached costs no more than what is not, and output no less than input', () => {
    for (const [id, price] of LIST_PRICES.models) {
      expect(price.cachedInput ?? 0, id).toBeLessThanOrEqual(price.input);
      expect(price.output, id).toBeGreaterThanOrEqual(price.input);
    }
  });

  it.each([
    'mock-model',
    'llama3.1',
    'ollama/qwen3:8b',
    'gpt-oss-120b',
    'gpt-4',
    'claude-opus-6',
    'gpt-5.6-nova',
  ])('knows no price for %s', (model) => {
    expect(priceOf(model, MILLION, LIST_PRICES)).toBeNull();
  });
});
