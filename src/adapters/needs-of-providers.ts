import { fieldsOf } from './fields.ts';

/** What stands between results and a nudge, for models that must answer first. */
export const READ = 'I have read the results.';

/** Whether the model refuses what a user says right behind results, as all of Mistral's do: an answer has to come first. */
export function mustAnswerFirst(model: unknown): boolean {
  return /\w[sx]tral/i.test(namesOf(model));
}

/** Whether the provider leaves calls and results out of a request that has no tools, as Amazon Bedrock does. */
export function forgetsWithoutTools(model: unknown): boolean {
  return /amazon/i.test(namesOf(model));
}

/** Of its provider and its own, as hosts keep them; those that are given by a name have both in it, mostly. */
function namesOf(model: unknown): string {
  if (typeof model === 'string') return model;
  const { provider, modelId, model: name, _defaultConfig } = fieldsOf(model);
  const { model: later, modelProvider } = fieldsOf(_defaultConfig);
  return [provider, modelId, name, later, modelProvider].filter((word) => typeof word === 'string').join(' ');
}
