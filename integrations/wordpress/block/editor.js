// The block in the editor. The server renders it, so that the editor shows the checkout's own page.
(({ blocks, blockEditor, components, element, i18n, serverSideRender: ServerSideRender }) => {
  const { __ } = i18n;
  const create = element.createElement;
  const domain = "coinslot-wordpress";

  const itemHelp = __("Its name in the catalog of your checkout, such as coffee.", domain);
  const amountHelp = __("For items with an open amount: what the field shows first. Shoppers can change it.", domain);
  const quantityHelp = __("For items that are sold in quantities. Shoppers can change it.", domain);

  function edit({ attributes, setAttributes }) {
    const text = (name, label, help) =>
      create(components.TextControl, {
        label,
        help,
        value: attributes[name],
        onChange: (value) => setAttributes({ [name]: value.trim() }),
      });

    const choice = (name, label, options) =>
      create(components.SelectControl, {
        label,
        value: attributes[name],
        options,
        onChange: (value) => setAttributes({ [name]: value }),
      });

    const inspector = create(
      blockEditor.InspectorControls,
      null,
      create(
        components.PanelBody,
        { title: __("What you sell", domain) },
        text("item", __("Item", domain), itemHelp),
        text("amount", __("Amount", domain), amountHelp),
        text("quantity", __("Quantity", domain), quantityHelp),
      ),
      create(
        components.PanelBody,
        { title: __("How it looks", domain) },
        choice("mode", __("Place", domain), [
          { value: "inline", label: __("In the page", domain) },
          { value: "modal", label: __("In a dialog that a button opens", domain) },
        ]),
        attributes.mode === "modal" &&
          create(components.TextControl, {
            label: __("Button", domain),
            placeholder: __("Pay with crypto", domain),
            value: attributes.label,
            onChange: (label) => setAttributes({ label }),
          }),
        choice("theme", __("Colors", domain), [
          { value: "auto", label: __("As the visitor's system", domain) },
          { value: "light", label: __("Light", domain) },
          { value: "dark", label: __("Dark", domain) },
        ]),
      ),
    );

    const [typed, setTyped] = element.useState("");
    const start = (event) => {
      event.preventDefault();
      setAttributes({ item: typed.trim() });
    };
    const ask = () =>
      create(
        components.Placeholder,
        { icon: "money-alt", label: __("Crypto checkout", domain) },
        create(
          "form",
          { onSubmit: start },
          create(components.TextControl, {
            label: __("Item", domain),
            help: itemHelp,
            value: typed,
            onChange: setTyped,
          }),
          create(components.Button, { variant: "primary", type: "submit" }, __("Show", domain)),
        ),
      );

    // Disabled: a press in the preview must open no payment.
    const preview = () =>
      create(
        components.Disabled,
        null,
        create(ServerSideRender, { block: "coinslot/checkout", attributes }),
      );

    return create(
      "div",
      blockEditor.useBlockProps(),
      inspector,
      attributes.item === "" ? ask() : preview(),
    );
  }

  blocks.registerBlockType("coinslot/checkout", { edit, save: () => null });
})(window.wp);
