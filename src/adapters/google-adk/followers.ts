import type { InvocationContext } from './shapes.ts';

type Follower = { readonly afterToolCallback?: unknown };

/** Whether somebody comes after this plugin who may change what the tools of the agent gave. */
export function isFollowed(plugin: object, { agent, pluginManager }: InvocationContext): boolean {
  const own = (agent as Follower | undefined)?.afterToolCallback;
  if (Array.isArray(own) ? own.length > 0 : own !== undefined) return true;
  const { plugins } = (pluginManager ?? {}) as { readonly plugins?: Iterable<Follower> };
  let isBehind = false;
  for (const other of plugins ?? []) {
    if (isBehind && changesResults(other)) return true;
    isBehind ||= other === plugin;
  }
  return false;
}

/** Whether the callback is the plugin's own, and not that of ADK's base class, which does nothing. */
function changesResults(plugin: Follower): boolean {
  let base = plugin;
  for (let up = above(base); up !== null && up !== Object.prototype; up = above(base)) base = up;
  return base === plugin || plugin.afterToolCallback !== base.afterToolCallback;
}

function above(of: object): Follower | null {
  return Object.getPrototypeOf(of) as Follower | null;
}
