(() => {
  const { title = '', description = '' } = wc.wcSettings.getSetting('coinslot_data', {});
  const text = (value) => wp.htmlEntities.decodeEntities(value);
  const content = wp.element.createElement('p', null, text(description));
  wc.wcBlocksRegistry.registerPaymentMethod({
    name: 'coinslot', label: text(title), ariaLabel: text(title), content, edit: content, canMakePayment: () => true,
  });
})();
