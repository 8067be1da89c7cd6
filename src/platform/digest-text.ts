export { digestText } from '../core/digest-text.ts';
