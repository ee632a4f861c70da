// The shop's pages.
const escape = (text) => String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

const page = (head, main) => `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Paper Tern</title>
  <link rel="stylesheet" href="/shop.css">
  ${head}
</head>
<body>
  <header><a href="/">Paper Tern</a></header>
  <main>${main}</main>
</body>
</html>`;

const summary = (order) => `
  <div class="card">
    <div class="row"><p>${escape(order.title)}</p><p class="price total">$${order.amount}</p></div>
  </div>`;

const state = (order) => order.paid ? `<p class="state" data-state="paid">Paid</p>` : `<p class="state" data-state="open">Not paid yet</p>`;

const row = (product) => `
  <div class="row">
    <div><h2>${escape(product.name)}</h2><p class="soft">${escape(product.about)}</p></div>
    <p class="price">$${product.price}</p>
    <input type="number" name="${product.id}" value="0" min="0" max="9" aria-label="How many: ${escape(product.name)}">
  </div>`;

export const goodsPage = (products, id) => page("", `
  <h1>Things to write with</h1>
  <p class="soft">Sent within two days. Pay with crypto.</p>
  <form method="post" action="/orders">
    <input type="hidden" name="order" value="${id}">
    <div class="card">${products.map(row).join("")}</div>
    <button class="button wide">Check out</button>
  </form>`);

export const orderPage = (order, checkout) => page(`<script async src="${checkout}/checkout.js"></script>`, `
  <h1>Order ${order.id}</h1>
  ${state(order)}
  ${summary(order)}
  <div class="pay">
    <coinslot-checkout session="${order.session}" return-url="/orders/${order.id}/thanks">
      <a class="button" href="${checkout}/checkout/${order.session}">Pay with crypto</a>
    </coinslot-checkout>
  </div>`);

export const thanksPage = (order, checkout) => page(order.paid ? "" : `<meta http-equiv="refresh" content="2">`, `
  ${order.paid
    ? `<h1>Thank you</h1><p class="soft">Your order is paid and will be sent within two days.</p>`
    : `<h1>One moment</h1><p class="soft">Your payment has not arrived yet. This page updates by itself.</p>`}
  ${state(order)}
  ${summary(order)}
  <p class="pay">${order.paid
    ? `<a class="button quiet" href="${checkout}/checkout/${order.session}/receipt">Receipt</a>`
    : `<a class="button quiet" href="/orders/${order.id}">Back to the payment</a>`}</p>`);
