// A process that changes the state of a session in a file: `node state-store.mjs FOLDER BYTES`.
import { createFileStore } from '../../dist/stores/index.js';
import { stateOf } from './state.mjs';

const [folder, bytes] = process.argv.slice(2);
const state = stateOf(Number(bytes));
await createFileStore({ folder }).update('s', () => [state, null]);
