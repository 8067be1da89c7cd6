import { resembles } from '../../../core/snapshot.ts';
import { createOrders, type Order, type Orders } from '../../../mcp/orders.ts';
import type { SessionFiles } from '../../../stores/session-files.ts';
import { updateNow } from '../../../stores/update-now.ts';
import { WAIT_MS } from './shared-guard.ts';

/** The order of a session that several proxies serve: who stops one stops all, and who lets one go on lets all. */
export function createSharedOrders(files: SessionFiles, session: string): Orders {
  const name = `${session}#order`;
  const local = createOrders();
  /** The others do not know of the last order. */
  let unshared = false;

  return {
    read() {
      if (unshared) return local.read();
      try {
        const saved = files.peek(name);
        local.write(isOrder(saved) ? saved : null);
      } catch {
        // What was known last counts; the guard tells what is wrong with the store.
      }
      return local.read();
    },
    write(order) {
      if (order === null && this.read() === null) return;
      local.write(order);
      try {
        updateNow(files, name, () => [order, undefined], WAIT_MS);
        unshared = false;
      } catch {
        unshared = true;
      }
    },
  };
}

function isOrder(saved: unknown): saved is Order {
  if (!resembles(saved, { do: '', reason: '' })) return false;
  const { do: what, told, prompt } = saved as { do: string; told?: unknown; prompt?: unknown };
  if (prompt !== undefined && typeof prompt !== 'string') return false;
  return what === 'ask' || (what === 'stop' && typeof told === 'boolean');
}
