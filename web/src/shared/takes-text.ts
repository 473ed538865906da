/** Inputs that no letter changes. */
const WITHOUT_TEXT = ['button', 'checkbox', 'color', 'file', 'image', 'radio', 'range', 'reset', 'submit'];

/** Whether letters go into an element that has the focus. @param type of an input */
export const takesText = (tagName: string, type: string | undefined): boolean =>
  tagName === 'INPUT' ? !WITHOUT_TEXT.includes(type ?? '') : ['TEXTAREA', 'SELECT'].includes(tagName);
