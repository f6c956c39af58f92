// The page of a draft works without this script. With it a decision is sent once, text that was written is not left by mistake, and the session does
// not end while someone writes.
const ALIVE_EVERY_MS = 60_000;

let wasEdited = false;
let lastAliveMs = 0;

for (const form of document.querySelectorAll('form')) {
  form.addEventListener('submit', () => {
    wasEdited = false;
    // After the browser has read the form, so that the button that was pressed is part of it.
    setTimeout(() => {
      for (const button of document.querySelectorAll('button')) button.disabled = true;
    });
  });
}

document.addEventListener('input', ({ target }) => {
  if (!(target instanceof HTMLTextAreaElement)) return;
  wasEdited = true;
  if (performance.now() - lastAliveMs < ALIVE_EVERY_MS && lastAliveMs > 0) return;
  lastAliveMs = performance.now();
  fetch('alive').catch(() => undefined);
});

window.addEventListener('beforeunload', (event) => {
  if (wasEdited) event.preventDefault();
});

// A page that comes back out of the browser's memory may be of a draft that was decided meanwhile.
window.addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload();
});
