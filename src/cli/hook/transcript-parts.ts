export { missedCalls } from '../../hooks/missed-calls.ts';
export { spentTokens } from '../../hooks/spent-tokens.ts';
