import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { findChromium } from './chromium.ts';

it('takes the Chromium that is named, and else the first in PATH', () => {
  const folder = mkdtempSync(join(tmpdir(), 'deloop-chromium-'));
  const program = join(folder, 'google-chrome');
  writeFileSync(program, '', { mode: 0o755 });
  writeFileSync(join(folder, 'chromium'), 'not a program', { mode: 0o644 });
  try {
    expect(findChromium({ PATH: ['/nowhere', folder].join(delimiter) })).toBe(program);
    expect(findChromium({ PATH: '', CHROMIUM_PATH: program })).toBe(program);
    expect(() => findChromium({ PATH: folder, CHROMIUM_PATH: folder })).toThrow('which is not a program');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
