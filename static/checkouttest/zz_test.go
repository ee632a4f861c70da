package checkouttest_test
import ("testing";"coinslot/e2e/browser")
func TestShots(t *testing.T){
 for n,o:=range map[string]browser.Options{"light":{Width:1200,Height:1250},"dark":{Width:1200,Height:1250,Dark:true},"phone":{Width:390,Height:1500}}{
  s:=openShop(t,o); s.WaitText("[data-product=tickets] [data-outcome]", "coinslot-status: open"); s.Screenshot("/tmp/ck/"+n+".png")
  s.Click("[data-product=coffee] a"); s.Wait("[data-product=coffee] coinslot-checkout >>> dialog[open]"); s.WaitText("[data-product=coffee] [data-outcome]", "coinslot-status: open"); s.Screenshot("/tmp/ck/"+n+"-modal.png")
 }
 s:=play(t,`<p><coinslot-checkout session=cs_1 mode=modal prewarm=none><a id=buy href="/thanks">Pay</a></coinslot-checkout>`,"default-src 'none'; script-src *; frame-src https://elsewhere.example",browser.Options{Width:700,Height:500})
 s.Click("#buy"); s.Wait(retry); s.Screenshot("/tmp/ck/fail.png")
}
