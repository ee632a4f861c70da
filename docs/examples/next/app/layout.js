import { checkout } from "../lib/shop.js";
import "./shop.css";

export const metadata = { title: "Paper Tern" };
export const dynamic = "force-dynamic"; // settings are read when the server runs, not when it is built

export default function Layout({ children }) {
  return (
    <html lang="en">
      <head><script async src={`${checkout}/checkout.js`} /></head>
      <body><header><a href="/">Paper Tern</a></header><main>{children}</main></body>
    </html>
  );
}
