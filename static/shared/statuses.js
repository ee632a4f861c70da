// All statuses of an order. bff TestStatuses compares the lists with the table in app/wire/status.go.

/** The shopper chooses how to pay. @type {string[]} */
export const CHOOSING = ['open'];

/** Changes without the shopper. @type {string[]} */
export const WAITING = ['preparing', 'pending', 'review'];

/** Nothing more happens unless the shopper or the merchant acts. @type {string[]} */
export const FINAL = ['confirmed', 'expired', 'cancelled'];
