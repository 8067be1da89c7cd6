import { Agent } from 'pi-agent-core-0';
import { piHost } from './pi.mjs';

export const create = (setup) => piHost({ Agent }, setup);
