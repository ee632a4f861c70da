// <CoinslotCheckout> for Vue 3.
import { defineComponent, h, onBeforeUnmount, onMounted, ref, type PropType } from 'vue';
import type { Checkout, Detail, ErrorDetail, Options, Result } from './checkout.js';
import { attach, attributesOf, EVENTS, frameKeyOf, frameOf, linkOf, NAME, type Handlers } from './component.js';

/** The element, with props and events without prefix (`@complete`); `element` of a template ref is the element. */
export const CoinslotCheckout = defineComponent({
  name: 'CoinslotCheckout',
  props: {
    url: String, origin: String, session: String, order: String, item: String,
    amount: [String, Number], quantity: [String, Number],
    mode: String as PropType<Options['mode']>, theme: String as PropType<Options['theme']>,
    preset: String as PropType<Options['preset']>, prewarm: String as PropType<Options['prewarm']>,
    lang: String, open: Boolean, returnUrl: String, createSession: Function as PropType<() => Promise<string>>,
  },
  emits: {
    ready: (_: CustomEvent<Detail>) => true, open: (_: CustomEvent<Detail>) => true,
    status: (_: CustomEvent<Detail>) => true, complete: (_: CustomEvent<Result>) => true,
    close: (_: CustomEvent<Detail>) => true, error: (_: CustomEvent<ErrorDetail>) => true,
  },
  setup(props, { emit, expose, slots }) {
    const element = ref<Checkout>();
    const handlers: Handlers = {};
    for (const [prop, type] of EVENTS) {
      handlers[prop] = (event: CustomEvent) => emit(type.slice('coinslot-'.length) as 'ready', event);
    }
    expose({ element });
    const all = () => ({ ...props, ...handlers });
    let mounted: AbortController | undefined;
    const connect = (vnode: { el: unknown }) => {
      mounted?.abort();
      mounted = new AbortController();
      attach(vnode.el as Checkout, all, mounted.signal);
    };
    onBeforeUnmount(() => mounted?.abort());
    let key: string | undefined, frame: ReturnType<typeof frameOf>;
    return () => {
      const next = slots.default ? undefined : frameKeyOf(props);
      if (key !== next) {
        key = next;
        frame = frameOf(props);
      }
      const href = linkOf(props);
      return h(NAME, { ...attributesOf(props), ref: element, key, onVnodeMounted: connect },
        slots.default?.() ?? (key ? h('iframe', { ...frame, 'data-allow-mismatch': '' }) : href ? h('a', { href }, 'Pay with crypto') :
          props.createSession && h('button', { type: 'button' }, 'Pay with crypto')));
    };
  },
});
