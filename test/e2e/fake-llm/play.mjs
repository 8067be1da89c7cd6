const SILENT = { input: 0, output: 0, cachedInput: 0, reasoning: 0 };
/** What the model says when its script is at an end. */
export const OVER = 'There is nothing left to do.';
const ASIDE = { text: 'A short session' };

/** Walks through a script: each request gets the next answer of the conversation it belongs to. */
export function createPlay({ conversations, aside = ASIDE }) {
  const answered = new Map();
  let calls = 0;

  function next({ tools, messages }) {
    const conversation = tools.length === 0 ? { name: 'aside' } : conversationOf(messages);
    const turn = (answered.get(conversation.name) ?? 0) + 1;
    answered.set(conversation.name, turn);
    const scripted = conversation.name === 'aside' ? aside : (conversation.turns[turn - 1] ?? { text: OVER });
    return { conversation: conversation.name, turn, said: complete(scripted) };
  }

  function conversationOf(messages) {
    const asked = messages.filter(({ role }) => role === 'user').map(({ text }) => text);
    const named = conversations.find(
      ({ when }) => when !== undefined && asked.some((text) => text.includes(when)),
    );
    return named ?? conversations.find(({ when }) => when === undefined);
  }

  function complete(turn) {
    const withIds = (turn.calls ?? []).map((call) => {
      calls += 1;
      return { ...call, id: `call_${String(calls).padStart(4, '0')}` };
    });
    return { ...turn, calls: withIds, usage: { ...SILENT, ...turn.usage } };
  }

  return { next };
}
