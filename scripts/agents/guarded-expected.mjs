// What must be seen of each loop in each agent; a list = any of these. Where an agent has a detector of its own, `by` tells who came first at the end.
const HEALTHY = { told: null, ended: null, by: null, decided: 0, problems: 0, exit: 0 };
const whole = (calls) => ({ asked: calls, ran: calls, ...HEALTHY });
const stopped = (asked, ran, told, by, exit) => ({ asked, ran, told, ended: asked, by, problems: 0, exit });
// It cannot be ended: call after call is refused until the model gives up, which this one never does.
const refused = (ran, told, exit = 0) => ({
  asked: 20,
  ran,
  told,
  ended: null,
  by: 'deloop',
  problems: 0,
  exit,
});

export const EXPECTED = {
  'gemini-cli': {
    identical: stopped(6, 3, 3, 'itself', 0),
    pingpong: stopped(11, 6, 5, 'itself', 0),
    cascade: stopped(12, 11, 5, 'deloop', 1),
    healthy: whole(19),
    spender: stopped(6, 5, 5, 'deloop', 0),
  },
  codex: {
    identical: refused(4, 3),
    pingpong: refused(7, 5),
    cascade: refused(12, 5, 1),
    healthy: whole(19),
    spender: refused(5, 5),
  },
  opencode: {
    identical: stopped(7, 4, 3, 'deloop', 1),
    pingpong: stopped(11, 7, 5, 'deloop', 1),
    cascade: stopped(12, 11, 5, 'deloop', 1),
    healthy: whole(19),
    spender: stopped(7, 6, 6, 'deloop', 1),
  },
  'qwen-code': {
    identical: stopped(5, 3, 3, 'itself', 1),
    pingpong: stopped(11, 6, 5, 'deloop', 0),
    cascade: stopped(14, 12, 5, 'deloop', 1),
    healthy: whole(19),
    // It writes down what a response took while hooks run, so that they know of it then, or before the next call.
    spender: stopped(7, 5, [5, 6], 'deloop', 0),
  },
  cline: {
    identical: stopped(5, 4, 3, 'itself', 0),
    pingpong: stopped(11, 10, 5, 'deloop', 0),
    cascade: stopped(12, 11, 5, 'deloop', 1),
    healthy: whole(19),
    // It tells hooks nothing of tokens.
    spender: whole(20),
  },
  // Nothing but a refusal gets through to its model.
  openclaw: {
    identical: refused(4, 5),
    pingpong: refused(7, 8),
    cascade: refused(12, 13, 1),
    healthy: whole(18),
    spender: refused(5, 6),
  },
  pi: {
    identical: stopped(7, 4, 3, 'deloop', 1),
    pingpong: stopped(11, 7, 5, 'deloop', 0),
    cascade: stopped(12, 11, 5, 'deloop', 1),
    healthy: whole(18),
    spender: stopped(6, 5, 5, 'deloop', 0),
  },
};
