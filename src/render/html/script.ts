/**
 * What a page does beyond standing there. Without it the plot's points keep their titles and each is a tab stop.
 * - Every point's title becomes a tooltip on hover and on focus; Escape hides it.
 * - The points of a plot are one tab stop; arrow keys, Home and End go from point to point.
 * - A button of the legend shows its gate's points and dims the others.
 */
export const SCRIPT: string = `
for (const plot of document.querySelectorAll('.plot')) {
  const tip = plot.querySelector('.tip');
  const marks = [...plot.querySelectorAll('.mark')];
  let shown = null;
  const hide = () => {
    shown?.classList.remove('on');
    shown = null;
    tip.hidden = true;
  };
  const show = (mark) => {
    hide();
    shown = mark;
    mark.classList.add('on');
    tip.textContent = mark.tip;
    tip.hidden = false;
    const at = mark.querySelector('.hit').getBoundingClientRect();
    const box = plot.getBoundingClientRect();
    const left = at.left + at.width / 2 - box.left - tip.offsetWidth / 2;
    tip.style.left = Math.max(0, Math.min(left, box.width - tip.offsetWidth)) + 'px';
    const above = at.top - tip.offsetHeight - 6;
    tip.style.top = (above > 0 ? above : at.bottom + 6) - box.top + 'px';
  };
  const focused = () => marks.find((mark) => mark === document.activeElement);
  marks.forEach((mark, index) => {
    const title = mark.querySelector('title');
    mark.tip = title.textContent;
    title.remove();
    mark.setAttribute('tabindex', index === 0 ? '0' : '-1');
    mark.addEventListener('pointerenter', () => show(mark));
    mark.addEventListener('pointerleave', () => (focused() ? show(focused()) : hide()));
    mark.addEventListener('focus', () => show(mark));
    mark.addEventListener('blur', hide);
    mark.addEventListener('keydown', (event) => {
      const to = { ArrowRight: index + 1, ArrowDown: index + 1, ArrowLeft: index - 1, ArrowUp: index - 1, Home: 0, End: -1 }[event.key];
      if (event.key === 'Escape') hide();
      if (to === undefined) return;
      event.preventDefault();
      mark.setAttribute('tabindex', '-1');
      const next = marks.at(to % marks.length);
      next.setAttribute('tabindex', '0');
      next.focus();
    });
  });
  const buttons = [...plot.querySelectorAll('.legend button')];
  for (const button of buttons) {
    button.addEventListener('click', () => {
      const pressed = button.getAttribute('aria-pressed') !== 'true';
      for (const each of buttons) each.setAttribute('aria-pressed', String(pressed && each === button));
      plot.classList.toggle('picking', pressed);
      for (const mark of marks) {
        mark.classList.toggle('picked', mark.dataset.gates.split(' ').includes(button.dataset.gate));
      }
    });
  }
}
`;
