/**
 * Tells what draws a page, and on what. A classic script whose value is the function: the farm has a
 * browser evaluate it when a trial is over, and the page of joining sends its answer along.
 *
 * WebGL names the rasteriser (WEBGL_debug_renderer_info; Firefox names it in RENDERER), and refuses a
 * context where that is software and a page asks not to be slow (WebGL 1.0, 5.2:
 * failIfMajorPerformanceCaveat).
 */
/** @type {any} */ (globalThis).crossfarmDrawing = () => {
  /** @param {WebGLContextAttributes} wish */
  const open = (wish) => {
    const canvas = /** @type {HTMLCanvasElement} */ (
      document.createElementNS('http://www.w3.org/1999/xhtml', 'canvas')
    );
    const gl = canvas.getContext('webgl', wish);
    /** @param {number | undefined} key */
    const name = (key) => (gl && key ? String(gl.getParameter(key) ?? '') : '');
    const plain = name(gl?.RENDERER);
    const isHidden = /^(WebKit WebGL|Mozilla|)$/.test(plain);
    const more = isHidden ? gl?.getExtension('WEBGL_debug_renderer_info') : null;
    const renderer = (name(more?.UNMASKED_RENDERER_WEBGL) || plain).slice(0, 500);
    gl?.getExtension('WEBGL_lose_context')?.loseContext();
    return gl ? renderer : null;
  };
  const renderer = open({});
  return {
    renderer,
    isSlow: renderer === null || open({ failIfMajorPerformanceCaveat: true }) === null,
    scale: devicePixelRatio,
    viewport: [innerWidth, innerHeight],
    screen: [screen.width, screen.height],
  };
};
