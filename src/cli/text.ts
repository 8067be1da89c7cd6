export { counted, printable, shortened } from '../report/text.ts';
