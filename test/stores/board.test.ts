import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { boardOf } from '../../src/stores/board-of.ts';
import { createFileStore } from '../../src/stores/file.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import { testBoard } from '../contract/board.ts';

testBoard('memory', { create: (now) => boardOf(createMemoryStore(), { now }) });
testBoard('file', {
  create: (now) =>
    boardOf(createFileStore({ folder: join(mkdtempSync(join(tmpdir(), 'deloop-board-')), 'states') }), {
      now,
    }),
});
