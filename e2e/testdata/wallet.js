(() => {
  if (window.asked) return;
  window.asked = [];
  window.mood = "accepts";
  let chain = "0x5", chains = 0;
  window.resetWallet = mood => { chain = "0x5"; chains = 0; window.mood = mood; window.asked.length = 0; };
  const no = (code, more) => Promise.reject({code, message: "no", ...more});
  const moods = {
    eth_requestAccounts: () => window.mood === "locked" ? no(4001) : ["0x00000000000000000000000000000000000000AA"],
    eth_chainId: () => window.mood === "moves" && ++chains > 2 ? "0x2a" : window.mood === "numbers" ? Number(chain) : chain,
    wallet_switchEthereumChain: ({chainId}) => window.mood === "unknown" ? no(4902) :
      window.mood === "wrapped" ? no(-32603, {data: {originalError: {code: 4902}}}) :
      window.mood === "stays" ? null : (chain = chainId, null),
    eth_sendTransaction: () => {
      if (window.mood === "throws") throw new Error("broken");
      if (window.mood === "refuses") return no(4001);
      if (window.mood === "fails") return no(-32000);
      if (window.mood === "nothing") return null;
      return "0x" + "ab".repeat(32);
    },
  };
  const request = ({method, params}) => {
    window.asked.push(JSON.stringify([method, ...(params ?? [])]));
    if (window.mood === "throws") return moods[method](...(params ?? []));
    const answer = (async () => moods[method](...(params ?? [])))();
    if (window.mood !== "twice") return answer;
    return {then: (yes, no) => answer.then(v => { yes(v); yes(v); no(v); }, no)};
  };
  const announce = (info, provider) => dispatchEvent(new CustomEvent("eip6963:announceProvider",
    {detail: Object.freeze({info, provider})}));
  const icon = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>";
  addEventListener("eip6963:requestProvider", () => {
    announce({uuid: "1", name: "Fox \u202eWallet", icon, rdns: "example.fox"}, {request});
    announce({uuid: "1", name: "Thief", icon, rdns: "example.thief"}, {request: async () => window.asked.push('["stolen"]')});
    announce({uuid: "2", name: "W".repeat(500), icon: "https://evil.example/pixel.png", rdns: "example.long"}, {request});
    announce({get uuid() { throw new Error("no"); }}, {request});
    announce(null, null);
    dispatchEvent(new Event("eip6963:announceProvider"));
  });
})()
