/** A function that an agent has at a property, where a user may put another one at any time. */
type Hook = (...given: never[]) => unknown;

/** Puts ours there, and around whatever is put there later, too; each of ours calls what it was put around. */
export function keepHook<Own extends Hook>(
  agent: object,
  name: string,
  ours: (own: Own | undefined) => Own | undefined,
): void {
  const around = new WeakMap<Hook, Own | undefined>();
  let hook: Own | undefined;

  function put(given: Own | undefined): void {
    const own = typeof given === 'function' && around.has(given) ? around.get(given) : given;
    hook = ours(own);
    if (hook !== undefined) around.set(hook, own);
  }

  put((agent as { readonly [name: string]: Own | undefined })[name]);
  Object.defineProperty(agent, name, { get: () => hook, set: put, enumerable: true, configurable: true });
}
