import { fieldsOf } from './fields.ts';

type Tools = { readonly [name: string]: { readonly execute?: unknown } };

/** What stands between results and a nudge, for models that must answer first. */
export const READ = 'I have read the results.';

/** Whether the model refuses what a user says right behind results, as all of Mistral's do: an answer has to come first. */
export function mustAnswerFirst(model: unknown): boolean {
  return /\w[sx]tral/i.test(namesOf(model));
}

/**
 * The tools that the last turn has in its request: none, but for Amazon Bedrock, which leaves calls and results out where there are no tools.
 * There it has those that the guard can keep from running.
 */
export function toolsAtLast(model: unknown, tools: Tools): string[] {
  if (!/amazon/i.test(namesOf(model))) return [];
  return Object.keys(tools).filter((name) => typeof tools[name]?.execute === 'function');
}

/** Of its provider and its own, as hosts keep them; those that are given by a name have both in it, mostly. */
function namesOf(model: unknown): string {
  if (typeof model === 'string') return model;
  const { provider, modelId, model: name, _defaultConfig } = fieldsOf(model);
  const { model: later, modelProvider } = fieldsOf(_defaultConfig);
  return [provider, modelId, name, later, modelProvider].filter((word) => typeof word === 'string').join(' ');
}
