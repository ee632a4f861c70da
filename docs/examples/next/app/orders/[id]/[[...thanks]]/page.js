import { CoinslotCheckout } from "@coinslot/checkout/react";
import { notFound } from "next/navigation";
import { checkout, orders, shop } from "../../../../lib/shop.js";

// Shows an order by the shop's own records. The address proves nothing, even with status=confirmed.
export default async function Order({ params }) {
  const { id, thanks } = await params, { title, amount, session, paid } = orders.get(id) ?? notFound();
  return (
    <>
      {thanks && !paid && <meta httpEquiv="refresh" content="2" />}
      <h1>{paid ? "Thank you" : thanks ? "One moment" : "Your order"}</h1>
      <p className="state" data-state={paid ? "paid" : "open"}>{paid ? "Paid" : "Not paid yet"}</p>
      <p className="card row"><span>{title}</span> <b className="price total">${amount}</b></p>
      {paid && <a className="button quiet" href={`${checkout}/checkout/${session}/receipt`}>Receipt</a>}
      {!paid && !thanks && <CoinslotCheckout className="pay" url={checkout} origin={shop} lang="en" session={session} returnUrl={`/orders/${id}/thanks`} />}
    </>
  );
}
