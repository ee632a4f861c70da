// Every status of an order, by what a page does meanwhile. bff TestStatuses compares the lists with
// the table in app/wire/status.go, so that a status that is added there has to be added here.

/** The shopper chooses how to pay. @type {string[]} */
export const CHOOSING = ['open'];

/** Something is expected to happen by itself. @type {string[]} */
export const WAITING = ['preparing', 'pending', 'review'];

/** Nothing more happens unless the shopper or the merchant acts. @type {string[]} */
export const FINAL = ['confirmed', 'expired', 'cancelled'];
