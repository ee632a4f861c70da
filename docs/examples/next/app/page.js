import { dollars, goods, newNumber } from "../lib/shop.js";

export default function Goods() {
  return (
    <form method="post" action="/orders">
      <h1>Things to write with</h1>
      <input type="hidden" name="order" value={newNumber()} />
      <div className="card">
        {Object.entries(goods).map(([key, [name, cents]]) => (
          <label className="row" key={key}><b>{name}</b> <span className="price">${dollars(cents)}</span>
            <input type="number" name={key} defaultValue="0" min="0" max="9" /></label>
        ))}
      </div>
      <button className="button wide">Check out</button>
    </form>
  );
}
