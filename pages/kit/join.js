/**
 * The page of a device without automation. It asks the farm what to open, opens that in a frame,
 * and asks again; the farm answers when there is something to do, so that nothing is sent in
 * between. A page that was hidden or lost the network is dropped, and the farm asks for it again.
 *
 * @typedef {{ kind: 'open', number: number, url: string, progress: { done: number, planned: number } }
 *   | { kind: 'over' | 'refused', text: string } | { kind: 'replaced' }} Answer
 */

export {}; // Makes it a module, which may await at the top level.

const againMs = 1000;

/** Headings of a page that asks no more. A farm that was started anew refuses whom it does not know. */
const titles = { over: 'Done', refused: 'Not joined', replaced: 'Another tab' };

const form = /** @type {HTMLFormElement} */ (document.querySelector('#join'));
const heading = document.querySelector('h1');
const said = /** @type {HTMLElement} */ (document.querySelector('#status'));
const progress = /** @type {HTMLProgressElement} */ (document.querySelector('#progress'));
const stage = /** @type {HTMLElement} */ (document.querySelector('#stage'));

/** @type {number | null} Number of the page that is shown. */
let holding = null;
/** @type {unknown} What draws this page: asked before the first trial, and told with each question. */
let drawing = null;
let question = new AbortController();

if (form.dataset['joined'] !== undefined) await attend();
form.addEventListener('submit', (event) => {
  event.preventDefault();
  void join(String(new FormData(form).get('name')));
});

/** @param {string} name */
async function join(name) {
  say('Joining…');
  try {
    const response = await post(location.pathname, { name });
    if (!response.ok) return say(await response.text());
  } catch {
    return say('The farm cannot be reached. Try again.');
  }
  form.hidden = true;
  await attend();
}

async function attend() {
  showTitle('Keep this page in front');
  say('Joined. Waiting for the farm…');
  void keepAwake();
  drawing = askDrawing();
  document.addEventListener('visibilitychange', onVisibility);
  addEventListener('offline', () => drop(null));
  addEventListener('pagehide', () => drop('left'));
  for (;;) {
    const answer = await ask();
    if (answer.kind !== 'open') return stop(answer);
    show(answer);
  }
}

/** @returns {unknown} null where the browser does not say */
function askDrawing() {
  try {
    return /** @type {any} */ (globalThis).crossfarmDrawing();
  } catch {
    return null;
  }
}

/** @returns {Promise<Answer>} waits for the network without a limit */
async function ask() {
  for (;;) {
    await visible();
    question = new AbortController();
    try {
      const response = await post('/client/next', { holding, drawing }, question.signal);
      if (response.ok) return await response.json();
      if (response.status < 500) return { kind: 'refused', text: await response.text() };
    } catch {
      // A network that failed once may have failed the trial as well: it is repeated.
      clear();
      say('The farm cannot be reached. Trying again…');
    }
    await new Promise((resolve) => setTimeout(resolve, againMs));
  }
}

/** @param {Extract<Answer, { kind: 'open' }>} answer */
function show({ number, url, progress: { done, planned } }) {
  clear();
  holding = number;
  say(`Measuring ${String(done + 1)} of ${String(planned)}. Keep the screen on.`);
  progress.hidden = false;
  progress.max = planned;
  progress.value = done;
  const frame = document.createElement('iframe');
  frame.title = 'The benchmark';
  frame.src = url;
  stage.append(frame);
}

function clear() {
  holding = null;
  stage.replaceChildren();
}

/** @param {Exclude<Answer, { kind: 'open' }>} answer */
function stop(answer) {
  clear();
  document.removeEventListener('visibilitychange', onVisibility);
  progress.hidden = true;
  showTitle(titles[answer.kind]);
  for (const told of document.querySelectorAll('#about, .caution')) told.remove();
  say(answer.kind === 'replaced' ? 'This device goes on in another tab.' : answer.text);
}

function onVisibility() {
  if (document.visibilityState === 'hidden') drop('hidden');
  else void keepAwake();
}

/**
 * Closes the page: a result measured in the background says nothing of the device.
 * @param {'hidden' | 'left' | null} why null: without a notification
 */
function drop(why) {
  if (holding !== null && why !== null)
    navigator.sendBeacon('/client/lost', JSON.stringify({ why }));
  clear();
  question.abort();
}

async function visible() {
  while (document.visibilityState === 'hidden') {
    await new Promise((resolve) => {
      document.addEventListener('visibilitychange', resolve, { once: true });
    });
  }
}

/** Only a secure context may keep the screen on: over plain HTTP the person has to. */
async function keepAwake() {
  try {
    await navigator.wakeLock?.request('screen');
  } catch {
    say(`${said.textContent} This browser does not keep the screen on by itself.`);
  }
}

/**
 * @param {string} url
 * @param {unknown} message
 * @param {AbortSignal} [signal]
 */
function post(url, message, signal) {
  return fetch(url, {
    method: 'POST',
    body: JSON.stringify(message),
    headers: { 'content-type': 'application/json' },
    cache: 'no-store',
    ...(signal && { signal }),
  });
}

/** @param {string} title */
function showTitle(title) {
  document.title = title;
  if (heading !== null) heading.textContent = title;
}

/** @param {string} text */
function say(text) {
  said.textContent = text;
}
