import { type Fields, fieldsOf } from '../fields.ts';
import type { Runtime } from './shapes.ts';

/** Where an agent runs, and at which step each graph around it is. */
export type Place = { readonly path: string; readonly steps: Fields };

/** Which agent inside an invocation it is: the nodes of the graphs around it; empty = the outermost. */
export function pathOf(runtime: Runtime | undefined): string {
  const place = runtime?.configurable?.['checkpoint_ns'];
  return typeof place === 'string' ? outerOf(place) : '';
}

/** The node that it is in. */
export function nodeOf(runtime: Runtime | undefined): string {
  const place = runtime?.configurable?.['checkpoint_ns'];
  if (typeof place !== 'string') return '';
  const from = place.lastIndexOf('|') + 1;
  return place.slice(from, place.indexOf(':', from));
}

/** The step of each graph around it, by the path of the graph. */
export function stepsOf(runtime: Runtime | undefined): Fields {
  return fieldsOf(runtime?.configurable?.['checkpoint_map']);
}

/** Whether both may run at the same time: then the innermost graph around both is at the same step. */
export function isSameStep(one: Place, other: Place): boolean {
  let graph = outerOf(one.path);
  while (graph !== '' && !other.path.startsWith(`${graph}|`)) graph = outerOf(graph);
  return one.steps[graph] === other.steps[graph];
}

function outerOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('|')));
}
