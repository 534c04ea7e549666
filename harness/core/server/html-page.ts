/** Makes a page for people, in the frame that all of them have. @param body HTML of ours */
export function htmlPage(title: string, body: string): string {
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
<header>
<p class="kicker">crossfarm</p>
<h1>${escapeHtml(title)}</h1>
</header>
<main>
${body}
</main>
</body>
</html>
`;
}

/** A text for an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${String(character.charCodeAt(0))};`);
}
