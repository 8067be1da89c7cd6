import { Agent } from 'pi-agent-core-1';
import { streamSimple } from 'pi-ai-1/compat';
import { piHost } from './pi.mjs';

export const create = (setup) => piHost({ Agent, streamFn: streamSimple }, setup);
