import { Command } from 'commander';
import { presetOf, presets } from '../../presets/registry.ts';
import type { Terminal } from '../terminal.ts';
import { shortened } from '../text.ts';

const EXAMPLES = `
Examples:
  $ deloop presets                 what there is
  $ deloop presets koda            one of them, as JSON: a start for a preset of your own
  $ deloop presets --json          all of them, by name
`;

export function presetsCommand(terminal: Terminal): Command {
  return new Command('presets')
    .description('list the guards to choose from, or show one')
    .argument('[name]', 'the preset to show as JSON')
    .option('--json', 'print JSON only')
    .addHelpText('after', EXAMPLES)
    .action(async (name: string | undefined, { json = false }: { json?: boolean }) => {
      if (name !== undefined) await terminal.out(pretty(presetOf(name as keyof typeof presets)));
      else await terminal.out(json ? pretty(presets) : table(terminal));
    });
}

function table({ width, outColors }: Terminal): string {
  const names = Object.keys(presets);
  const first = Math.max(...names.map((name) => name.length)) + 2;
  const rows = Object.values(presets).map(({ name, about, detectors }) => {
    const watched = `${' '.repeat(first)}${Object.keys(detectors).join(', ')}`;
    return `${outColors.bold(name.padEnd(first))}${shortened(about, width - first)}\n${outColors.dim(watched)}\n`;
  });
  return rows.join('');
}

function pretty(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
