import { fieldsOf } from '../fields.ts';
import { dismissSuspended } from './cast.ts';
import { invocationsIn, type Message, type MessageList, wordsIn } from './shapes.ts';
import { arrange, type WatchedCall } from './watched-call.ts';

/** A person's words, where it is they that the call begins with. */
export function hearPrompt(call: WatchedCall, messageList: MessageList, hasThread: boolean): void {
  const newest = messageList.get.all
    .db()
    .findLast((message) => isByPerson(message) || isAnswer(message, messageList, hasThread));
  if (newest !== undefined && newest.role !== 'assistant') hearPerson(call, newest);
}

/** What a person writes while the agent works comes into its list of messages between two steps. */
export function hearSignals(call: WatchedCall, messageList: MessageList): void {
  const addSignal = messageList.addSignal?.bind(messageList);
  if (addSignal === undefined) return;
  messageList.addSignal = (...given) => {
    const added = addSignal(...given);
    const message = added.toDBMessage();
    if (isByPerson(message)) hearPerson(call, message);
    return added;
  };
}

/** The same, for an agent whose list of messages is another one in each step. */
export function hearNewest(call: WatchedCall, messages: readonly Message[]): void {
  const newest = messages.findLast((message) => message.role === 'assistant' || isByPerson(message));
  if (newest?.role === 'signal' && newest.id !== call.heard) hearPerson(call, newest);
}

function hearPerson(call: WatchedCall, message: Message): void {
  const { run, cast, agent } = call;
  call.heard = message.id;
  run.user(wordsIn(message), { agent });
  if (cast !== null && agent === undefined) dismissSuspended(cast);
  arrange(call);
}

/** A processor may have put in words of an assistant. Without a thread nobody can tell them from a history that was given. */
function isAnswer(message: Message, { get }: MessageList, hasThread: boolean): boolean {
  if (message.role !== 'assistant') return false;
  return !hasThread || invocationsIn([message]).length > 0 || !get.input.db().includes(message);
}

/** What is sent to a thread has a role of its own, whoever sends it. */
function isByPerson({ role, type, content }: Message): boolean {
  if (role !== 'signal') return role === 'user';
  const sort = fieldsOf(fieldsOf(content.metadata)['signal'])['type'] ?? type;
  return sort === 'user' || sort === 'user-message';
}
