export { testAdapter } from '../../src/testing/test-adapter.ts';
