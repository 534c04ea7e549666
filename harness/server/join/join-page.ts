/** The pages of joining. All text from outside is escaped; their one script is `pages/kit/join.js`. */

/** What a phone that scanned the code sees. With a name it has joined before, and goes on. */
export function joinPage(joinedAs: string | null): string {
  return page(
    'Join the farm',
    `<p id="about">This device will run benchmarks, one after the other, in this tab. Keep the screen on and this page in front; when it is locked or loses the network it goes on when it is back.</p>
<form id="join"${joinedAs === null ? '' : ` hidden data-joined="${escapeHtml(joinedAs)}"`}>
<p><label for="name">What do you call this device?</label>
<input id="name" name="name" maxlength="60" required autocomplete="off" placeholder="Pixel 7"></p>
<p><button>Join</button></p>
</form>
<p id="status" role="status"></p>
<progress id="progress" value="0" max="1" hidden aria-label="Trials that are done"></progress>
<div id="stage"></div>
<script type="module" src="/kit/join.js"></script>`,
  );
}

export function refusalPage(why: string): string {
  return page('Not joined', `<p>${escapeHtml(why)} Ask for a new one at the farm.</p>`);
}

/** The owner's screen. `code` is HTML of ours. */
export function invitePage(code: string): string {
  return page('Scan to join', code);
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/kit/page.css">
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${body}
</main>
</body>
</html>
`;
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${String(character.charCodeAt(0))};`);
}
