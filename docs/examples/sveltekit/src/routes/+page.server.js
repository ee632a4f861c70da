import { dollars, goods, newNumber } from "$lib/server/shop.js";

export const load = () => ({
  number: newNumber(),
  goods: Object.entries(goods).map(([key, [name, cents]]) => ({ key, name, price: dollars(cents) })),
});
