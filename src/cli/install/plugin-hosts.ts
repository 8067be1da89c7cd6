import { join } from 'node:path';
import { parse } from 'jsonc-parser';
import { fieldsOf } from '../../transcripts/fields.ts';
import { pluginAddress, signature } from './hook-command.ts';
import { type Installable, type Target, type TargetContext, THIS_MACHINE } from './install-target.ts';
import { readIfPossible } from './read-if-possible.ts';

/**
 * Hosts that load code into their own process. Each gets a small file that loads `dist/plugins/<agent>.js` of the package and hands it
 * what the host gave: `deloop(given, { shadow })`. When the package is gone, it does nothing.
 */
function loader(
  agent: string,
  context: TargetContext,
  body: (load: string, options: string) => string,
): string {
  const load = `await import(${JSON.stringify(pluginAddress(agent, context))})`;
  return `${signature(agent)}\n${body(load, `{ shadow: ${context.shadow} }`)}`;
}

function own(path: string, text: string): Target {
  return { kind: 'own', path, text, executable: false };
}

const opencode: Installable = {
  agent: 'opencode',
  title: 'opencode',
  targets(context) {
    const { scope, home, cwd, env } = context;
    const folder =
      scope === 'project'
        ? join(cwd, '.opencode')
        : env['OPENCODE_CONFIG_DIR'] || join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'opencode');
    const text = loader(
      'opencode',
      context,
      (load, options) => `export const deloop = async (input) => {
  try {
    const plugin = ${load};
    return await plugin.deloop(input, ${options});
  } catch {
    return {};
  }
};
`,
    );
    return [own(join(folder, 'plugins', 'deloop.js'), text)];
  },
  notes: (scope) => [
    'Sessions that run already have no plugin: start opencode anew.',
    ...(scope === 'project' ? [THIS_MACHINE] : []),
  ],
};

const pi: Installable = {
  agent: 'pi',
  title: 'pi',
  targets(context) {
    const { scope, home, cwd, env } = context;
    const folder =
      scope === 'project' ? join(cwd, '.pi') : env['PI_CODING_AGENT_DIR'] || join(home, '.pi', 'agent');
    const text = loader(
      'pi',
      context,
      (load, options) => `export default async (pi) => {
  try {
    const plugin = ${load};
    await plugin.deloop(pi, ${options});
  } catch {}
};
`,
    );
    return [own(join(folder, 'extensions', 'deloop.js'), text)];
  },
  notes: (scope) => (scope === 'project' ? [THIS_MACHINE] : []),
};

const MANIFEST = {
  id: 'deloop',
  name: 'deloop',
  description: 'Notices when the agent is going round in circles, and steps in.',
  activation: { onStartup: true },
  configSchema: { type: 'object', additionalProperties: false },
};
const PACKAGE = {
  name: 'deloop-openclaw',
  version: '1.0.0',
  type: 'module',
  openclaw: { extensions: ['./index.js'] },
};

/** Where it keeps its settings, and plugins for all workspaces. */
function openclawHome({ home, env }: TargetContext): string {
  return env['OPENCLAW_STATE_DIR'] || join(env['OPENCLAW_HOME'] || home, '.openclaw');
}

const ENABLE = 'OpenClaw loads it when you have enabled it: openclaw plugins enable deloop';

const openclaw: Installable = {
  agent: 'openclaw',
  title: 'OpenClaw',
  targets(context) {
    const place = context.scope === 'project' ? join(context.cwd, '.openclaw') : openclawHome(context);
    const folder = join(place, 'extensions', 'deloop');
    // It loads plugins with `require`, which bears no `await` outside of functions.
    const text = `${signature('openclaw')}
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

let plugin;
try {
  plugin = createRequire(import.meta.url)(fileURLToPath(${JSON.stringify(pluginAddress('openclaw', context))}));
} catch {}

export default {
  id: 'deloop',
  name: 'deloop',
  register(api) {
    plugin?.deloop(api, { shadow: ${context.shadow} });
  },
};
`;
    return [
      own(join(folder, 'openclaw.plugin.json'), `${JSON.stringify(MANIFEST, null, 2)}\n`),
      own(join(folder, 'package.json'), `${JSON.stringify(PACKAGE, null, 2)}\n`),
      own(join(folder, 'index.js'), text),
    ];
  },
  notes: (scope) => [
    `${ENABLE}; a gateway that runs already has to be restarted.`,
    ...(scope === 'project' ? [THIS_MACHINE] : []),
  ],
  obstacles(context) {
    const path = context.env['OPENCLAW_CONFIG_PATH'] || join(openclawHome(context), 'openclaw.json');
    const settings: unknown = parse(readIfPossible(path), [], { allowTrailingComma: true });
    const { enabled } = fieldsOf(fieldsOf(fieldsOf(fieldsOf(settings)['plugins'])['entries'])['deloop']);
    return enabled === true ? [] : [ENABLE];
  },
};

/** Every coding agent that loads a plugin of ours. */
export const PLUGIN_HOSTS: readonly Installable[] = [opencode, pi, openclaw];
