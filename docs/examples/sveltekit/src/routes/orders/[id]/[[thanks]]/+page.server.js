import { error } from "@sveltejs/kit";
import { checkout, orders, shop } from "$lib/server/shop.js";

// Reads the shop's own records. The address proves nothing, even with status=confirmed.
export const load = ({ params: { id, thanks } }) => ({ order: orders.get(id) ?? error(404), thanks, checkout, shop });
