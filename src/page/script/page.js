  tiles();
  timeline();
  roofline();
  bursts();
