import React, { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { CoinslotCheckout } from './CoinslotCheckout.jsx';

// The notebook is in ../static/catalog.yaml. COINSLOT_ORIGINS must list this page's origin.
function App() {
  const [status, setStatus] = useState('');
  return (
    <main>
      <h1>Notebook</h1>
      <CoinslotCheckout item="notebook" onStatus={({ detail }) => setStatus(detail.status)}>
        <iframe src="http://localhost:8080/checkout?item=notebook&embed=inline&lang=en"
          name="coinslot-checkout" title="Checkout" allow="clipboard-write"
          sandbox="allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox"
          width="100%" height="420" frameBorder="0" />
      </CoinslotCheckout>
      <p role="status">{status}</p>
    </main>
  );
}

createRoot(document.getElementById('app')).render(<StrictMode><App /></StrictMode>);
