import type { Sink } from './format.ts';

/** The models that gave the responses of one transcript. */
export type Models = {
  /** A response is passed on; undefined = its model is not known. */
  before(agent: string | undefined, model: string | undefined): void;
  /** It was passed on. */
  after(agent: string | undefined): void;
};

/**
 * Tells of a model right before the response that it gave, because tokens are priced as they come: a response is
 * passed on when the next one begins, which may be another model's. A sub-agent's model counts for its response alone.
 */
export function createModels(sink: Sink): Models {
  let main: string | undefined;
  let borrowed = false;
  return {
    before(agent, model) {
      if (model === undefined) return;
      if (agent === undefined) main = model;
      else borrowed = model !== main;
      sink.facts({ model });
    },
    after(agent) {
      if (agent === undefined || !borrowed) return;
      borrowed = false;
      if (main !== undefined) sink.facts({ model: main });
    },
  };
}
