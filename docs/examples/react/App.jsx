import React, { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { CoinslotCheckout } from './CoinslotCheckout.jsx';

// `coinslot demo` has coffee in its catalog. COINSLOT_ORIGINS must list this page's origin.
function App() {
  const [status, setStatus] = useState('');
  return (
    <main>
      <h1>House blend, 1 kg</h1>
      <CoinslotCheckout item="coffee" onStatus={({ detail }) => setStatus(detail.status)}>
        <a href="http://localhost:8080/checkout?item=coffee">Pay with crypto</a>
      </CoinslotCheckout>
      <p role="status">{status}</p>
    </main>
  );
}

createRoot(document.getElementById('app')).render(<StrictMode><App /></StrictMode>);
