import type { Json } from '../core/types.ts';
import type { Reply } from './host.ts';

/** The answer of a host whose plugin does itself what is to be done. */
export function plainReply(reply: Reply): Json {
  return reply.action === 'allow' ? null : { action: reply.action, message: reply.message };
}
