import { createMemoryStore } from '../../src/stores/memory.ts';
import { testStore } from '../contract/store.ts';

testStore('memory', { create: createMemoryStore });
