// The farm drives the browsers that the machine has; `npm ci` must never download one.
module.exports = { skipDownload: true };
