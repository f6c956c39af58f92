// Asks the browser for a passkey, or for a new one, and sends its answer with the form.
for (const form of document.querySelectorAll('form[data-passkey]')) {
  const trouble = form.querySelector('[role=alert]');
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    trouble.hidden = true;
    try {
      form.elements.answer.value = JSON.stringify((await askBrowser(form.dataset)).toJSON());
      form.submit();
    } catch (error) {
      trouble.textContent =
        error.name === 'InvalidStateError'
          ? 'This device has a passkey for this account already: sign in with it.'
          : 'The browser gave no passkey: try again, or choose another way.';
      trouble.hidden = false;
    }
  });
}

function askBrowser({ passkey, options }) {
  const given = JSON.parse(options);
  return passkey === 'new'
    ? navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(given) })
    : navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(given) });
}
