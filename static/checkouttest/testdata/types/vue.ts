import type { GlobalComponents } from 'vue';

type Props = InstanceType<GlobalComponents['coinslot-checkout']>['$props'];
const good: Props = { session: 'cs_1', mode: 'modal', 'return-url': '/thanks' };
// @ts-expect-error no such attribute
const bad: Props = { price: 5 };
export { good, bad };
