/** Your checkout's COINSLOT_PUBLIC_URL. */
export const CHECKOUT = "http://localhost:8080";
