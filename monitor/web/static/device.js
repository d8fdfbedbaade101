// A device's code opens /with#TOKEN. What stands behind # never leaves the browser by itself: it is sent as the form,
// and taken out of the address before anything else.
"use strict";

const token = location.hash.slice(1);
if (token) {
  history.replaceState(null, "", location.pathname);
  document.getElementById("token").value = token;
  document.getElementById("device").submit();
}
