import { COMMAND_HOSTS } from './command-hosts.ts';
import type { Installable } from './install-target.ts';
import { PLUGIN_HOSTS } from './plugin-hosts.ts';

/** Every coding agent that deloop can be installed in. */
export const INSTALLABLE: readonly Installable[] = [...COMMAND_HOSTS, ...PLUGIN_HOSTS];
