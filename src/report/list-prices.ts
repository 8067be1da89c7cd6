import table from './price-table.json' with { type: 'json' };
import { type PriceTable, parsePrices } from './prices.ts';

/** Public list prices, with the day on which they were looked up; docs/prices.md names the sources. */
export const LIST_PRICES: PriceTable = /* @__PURE__ */ parsePrices(table);
