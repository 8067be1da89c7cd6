// What a scripted model does, in words that fit every agent; each agent says what its own tools are called.
export const shell = (command, more) => ({ does: 'shell', command, ...more });
export const read = (path, more) => ({ does: 'read', path, ...more });
export const write = (path, content) => ({ does: 'write', path, content });
export const edit = (path, line, find, replace) => ({ does: 'edit', path, line, find, replace });
export const delegate = (task) => ({ does: 'delegate', task });
// Only some agents have a tool for the last word of a helper.
export const report = (text) => ({ does: 'report', text, ends: true });
export const FAILS = { fails: true };

export const turn = (text, ...calls) => ({ text, calls });
export const times = (count, make) => Array.from({ length: count }, (_, index) => make(index + 1));
